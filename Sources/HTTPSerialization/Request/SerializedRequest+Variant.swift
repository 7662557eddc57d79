package import CheckResults

extension SerializedRequest {
    /// Returns a request of another method for the same URL, without content.
    ///
    /// - Parameter fields: Fields to add, or to send in place of those with the same name.
    package func variant(method: String, fields: [HeaderField] = []) -> SerializedRequest {
        let kept = headers.filter { field in
            !field.name.lowercased().hasPrefix("content-") && !fields.contains { $0.isNamed(field.name) }
        }
        return SerializedRequest(
            method: method,
            url: url,
            headers: kept + fields,
            body: .none,
            timeoutInterval: timeoutInterval,
            allowsCellularAccess: allowsCellularAccess
        )
    }
}
