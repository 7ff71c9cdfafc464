# shellcheck shell=bash
# nap SECONDS: sleep without a process, which would take more CPU time than most that is waited for.
exec {nap_pipe}<> <(:)
export nap_pipe
nap() { read -rt "$1" -u "$nap_pipe" || :; }
