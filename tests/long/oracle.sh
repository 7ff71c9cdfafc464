#!/usr/bin/env bash
# The oracle of change for ten minutes, or for ORACLE_SECONDS, with changes that no run had before.
export ORACLE_SECONDS=${ORACLE_SECONDS:-600} ORACLE_SEED=${ORACLE_SEED:-$((RANDOM << 15 | RANDOM))}
exec bash tests/system/oracle.sh
