"""The tables and figures of the papers again, each beside what was published."""
