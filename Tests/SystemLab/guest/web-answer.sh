# One HTTP answer on standard output to the request on standard input; socat runs it for each connection.
# WEB_ANSWERS is 'open' or 'portal', and WEB_LOCATION where the portal sends browsers.
read -r method path rest || exit 0
while read -r line && [ "${line%$'\r'}" != "" ]; do :; done
printf '%s\n' "$path" >>"$OUT/web-requests.log"
case $WEB_ANSWERS:$path in
    portal:*) printf 'HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' "$WEB_LOCATION" ;;
    open:/generate_204) printf 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n' ;;
    *) printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n' ;;
esac
