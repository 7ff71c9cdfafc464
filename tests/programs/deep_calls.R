# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of R that call themselves up to 60 deep, for SECONDS of CPU time: Rscript deep_calls.R SECONDS
sums <- function(n) { x <- 0; for (i in 1:n) x <- x + (i * 7) %% 11; x }
descend <- function(n) if (n > 0) descend(n - 1) + 1 else sums(400)
each <- function(n) sum(vapply(c(1, n, 20), descend, 0))
fail <- function(n) tryCatch({ descend(n); stop("no") }, error = function(e) 0)

until <- proc.time()[[1]] + as.numeric(commandArgs(TRUE)[1])
while (proc.time()[[1]] < until) {
  descend(12)
  each(60)
  fail(30)
  sort(sapply(1:50, function(k) sqrt(k)))
  lm(dist ~ speed, data = cars)
}
