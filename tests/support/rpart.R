# Fits rpart to the tables of rpart_cases.py: its table of complexities, the node where each training row ends, and what
# every node tells.
library(rpart)
library(jsonlite)
given <- commandArgs(TRUE)
cases <- fromJSON(given[1], simplifyVector = FALSE)
numbers <- function(v) sapply(v, function(x) if (is.null(x)) NA else x)

fitted <- function(case) {
  table <- as.data.frame(lapply(seq_along(case$columns), function(j) {
    x <- numbers(case$columns[[j]])
    if (case$sizes[[j]] > 0) factor(x, levels = 0:(case$sizes[[j]] - 1)) else x
  }))
  names(table) <- paste0("x", seq_along(case$columns))
  k <- case$k
  table$y <- if (k > 0) factor(numbers(case$y), levels = 0:(k - 1)) else numbers(case$y)
  weights <- if (is.null(case$weights)) rep(1, nrow(table)) else numbers(case$weights)
  control <- rpart.control(
    minsplit = case$minsplit, minbucket = max(1, round(case$minsplit / 3)), cp = case$cp, xval = numbers(case$folds),
    maxcompete = 0, maxsurrogate = if (case$surrogates) 5 else 0, usesurrogate = if (case$surrogates) 2 else 0
  )
  parms <- list()
  if (k > 0) {
    parms$split <- case$split
    if (!is.null(case$priors)) parms$prior <- numbers(case$priors) / sum(numbers(case$priors))
    if (!is.null(case$loss)) parms$loss <- t(matrix(unlist(case$loss), k, k))
  }
  fit <- if (k > 0) {
    rpart(y ~ ., table, weights = weights, method = "class", parms = parms, control = control)
  } else {
    rpart(y ~ ., table, weights = weights, method = "anova", control = control)
  }
  told <- if (k > 0) fit$frame$yval2[, (k + 2):(2 * k + 1), drop = FALSE] else matrix(fit$frame$yval)
  answers <- if (k > 0) I(fit$frame$yval - 1) else NULL
  list(cptable = unname(fit$cptable), where = unname(fit$where) - 1, told = unname(told), answers = answers)
}

write(toJSON(lapply(cases, fitted), digits = NA, auto_unbox = TRUE, null = "null"), given[2])
