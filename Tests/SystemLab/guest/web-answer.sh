# One HTTP answer on standard output to the request on standard input; socat runs it for each connection.
# WEB_ANSWERS is 'open' or 'portal', and WEB_LOCATION where the portal sends browsers. /private wants WEB_LOGIN.
read -r method path rest || exit 0
login= signature=
while read -r line && [ "${line%$'\r'}" != "" ]; do
    line=${line%$'\r'}
    case ${line,,} in
        authorization:*) login=${line##* } ;;
        webhook-signature:*) signature=${line##* } ;;
    esac
done
printf '%s\n' "$path${signature:+ $signature}" >>"$OUT/web-requests.log"
case $WEB_ANSWERS:$path in
    portal:*) printf 'HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' "$WEB_LOCATION" ;;
    open:/generate_204) printf 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n' ;;
    open:/private)
        [ "$login" = "$WEB_LOGIN" ] && status="200 OK" || status="401 Unauthorized"
        printf 'HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' "$status" ;;
    *) printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n' ;;
esac
