/// Media types by file name extension.
enum FileMediaType {
    /// The media type of unknown content.
    static let unknown = "application/octet-stream"

    /// Returns the media type of a file; ``unknown`` for an extension that is not in the table.
    static func forFile(named name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return unknown }
        return types[last.lowercased()] ?? unknown
    }

    private static let types = [
        "bin": "application/octet-stream",
        "cer": "application/x-x509-ca-cert",
        "crl": "application/pkix-crl",
        "crt": "application/x-x509-ca-cert",
        "css": "text/css",
        "csv": "text/csv",
        "der": "application/x-x509-ca-cert",
        "gif": "image/gif",
        "gz": "application/gzip",
        "htm": "text/html",
        "html": "text/html",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript",
        "json": "application/json",
        "log": "text/plain",
        "pdf": "application/pdf",
        "pem": "application/x-pem-file",
        "plist": "application/x-plist",
        "png": "image/png",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "txt": "text/plain",
        "webp": "image/webp",
        "xml": "application/xml",
        "yaml": "application/yaml",
        "yml": "application/yaml",
        "zip": "application/zip",
    ]
}
