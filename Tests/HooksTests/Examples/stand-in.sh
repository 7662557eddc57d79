#!/bin/sh
# Stands for the program by whose name it is linked into a directory `bin`: it writes down how it is called, in the file
# `calls` beside that directory, and ends with the status STAND_IN_STATUS. As `id` it is the user STAND_IN_ID.
set -eu

case ${0##*/} in
    id) echo "$STAND_IN_ID" ;;
    runuser)
        [ "$1" = -u ] && [ "$3" = -- ] || exit 64
        [ "$2" != "${STAND_IN_DENIED:-}" ] || exit 1
        shift 3
        exec "$@"
        ;;
    *)
        line="${DBUS_SESSION_BUS_ADDRESS:+$DBUS_SESSION_BUS_ADDRESS }${0##*/}"
        for word; do line="$line|$word"; done
        printf '%s\n' "$line" >>"${0%/bin/*}/calls"
        exit "${STAND_IN_STATUS:-0}"
        ;;
esac
