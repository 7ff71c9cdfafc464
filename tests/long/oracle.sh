#!/usr/bin/env bash
# The oracle of change for ten minutes, or for ORACLE_SECONDS.
export ORACLE_SECONDS=${ORACLE_SECONDS:-600}
exec bash tests/system/oracle.sh
