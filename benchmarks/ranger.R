# A forest of R's ranger, told to do the same work as scikit-learn's: full trees, bootstrap, √columns at a node, one thread.
# Rscript ranger.R FOLDER ROWS NEW_ROWS COLUMNS TREES prints one line of JSON; FOLDER has numbers as doubles by column
# (X, new) and classes as 32-bit integers (y, truth).
suppressMessages(library(ranger))
given <- commandArgs(trailingOnly = TRUE)
sizes <- as.integer(given[-1])
read <- function(name, kind, n) readBin(file.path(given[1], name), kind, n)
table <- function(name, n) {
  matrix(read(name, "double", n * sizes[3]), n, sizes[3], dimnames = list(NULL, paste0("x", seq_len(sizes[3]))))
}
spent <- function() sum(proc.time()[c("user.self", "sys.self")])
X <- table("X", sizes[1])
y <- factor(read("y", "integer", sizes[1]))
new <- table("new", sizes[2])
truth <- read("truth", "integer", sizes[2])
began <- spent()
forest <- ranger(x = X, y = y, num.trees = sizes[4], min.node.size = 1, num.threads = 1, oob.error = FALSE, seed = 1)
fitted <- spent()
said <- predict(forest, new, num.threads = 1)$predictions
ended <- spent()
score <- mean(as.integer(as.character(said)) == truth)
cat(sprintf('{"fit": %f, "predict": %f, "score": %f, "version": "%s"}\n',
            fitted - began, ended - fitted, score, packageVersion("ranger")))
