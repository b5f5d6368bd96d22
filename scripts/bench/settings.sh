# shellcheck shell=bash
# Common settings of measured stacks; sourced by bench.sh and bench-compare.sh.

# One consumer of each topic in each service: these rates need no more, and each fetches from the local broker eighty times a second.
export RIAL_CONSUMERS=${RIAL_CONSUMERS:-1}
export RIAL_BUILD=${RIAL_BUILD:-release} PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# No rate limits: they would reject the load.
export RIAL_LIMIT_CHALLENGES_PER_MINUTE=0 RIAL_LIMIT_REGISTRATIONS_PER_MINUTE=0 RIAL_LIMIT_CAPTURES_PER_HOUR=0 RIAL_LIMIT_CAPTURES_BURST=0
export RIAL_LIMIT_VIDEOS_PER_HOUR=0
export RIAL_MAX_UPLOADS_PER_DEVICE=0 RIAL_MAX_UPLOADS_PER_ADDRESS=0 RIAL_MAX_MEDIA_PER_ADDRESS=0
unset STACK
