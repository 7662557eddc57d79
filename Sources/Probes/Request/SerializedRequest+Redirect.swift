extension SerializedRequest {
    /// The request that follows a redirect, RFC 9110 section 15.4.
    ///
    /// After 303 the method becomes GET unless it is HEAD, after 301 and 302 POST becomes GET; the content is left out
    /// then. At another origin no credentials, cookies and no Host field of the caller's are sent. Whether to follow at
    /// all is for the caller to decide.
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
