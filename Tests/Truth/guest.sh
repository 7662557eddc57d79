#!/bin/bash
# The truth campaign in the guest: what Tests/Truth/truth-vm has packed, with the arguments that it was given.
set -eu
modprobe mac80211_hwsim radios=2
modprobe ppp_async
ln -sf "$PAYLOAD/wg" /usr/bin/wg
export PYTHONPATH="$PAYLOAD/python/library.zip:$PAYLOAD/python"
exec "$PAYLOAD/python/python3" -S "$PAYLOAD/Truth/truth" --guest --jobs 1 --late 1 \
    --agent "$PAYLOAD/reachagent" --log "$OUT/results.jsonl" "$@"
