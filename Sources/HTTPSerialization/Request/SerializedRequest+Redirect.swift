internal import CheckResults

extension SerializedRequest {
    /// Returns the request that follows a redirect (RFC 9110, section 15.4).
    ///
    /// After 303 the method becomes GET unless it is HEAD, after 301 and 302 POST becomes GET, without content. At
    /// another origin no credentials, cookies and no custom Host field are sent. The caller decides whether to follow
    /// at all.
    public func redirected(to url: HTTPURL, status: Int) -> SerializedRequest {
        let becomesGet =
            switch status {
            case 303: method != "GET" && method != "HEAD"
            case 301, 302: method == "POST"
            default: false
            }
        let isSameOrigin = url.origin == self.url.origin
        let kept = headers.filter { field in
            switch field.name.lowercased() {
            case "host", "authorization", "proxy-authorization", "cookie", "cookie2": isSameOrigin
            case let name: !becomesGet || !name.hasPrefix("content-")
            }
        }
        let host = isSameOrigin ? [] : [HeaderField(name: "Host", value: url.authority)]
        return SerializedRequest(
            method: becomesGet ? "GET" : method,
            url: url,
            headers: host + kept,
            body: becomesGet ? .none : body,
            timeoutInterval: timeoutInterval,
            allowsCellularAccess: allowsCellularAccess
        )
    }
}
