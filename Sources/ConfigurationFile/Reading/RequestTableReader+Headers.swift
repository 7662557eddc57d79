internal import Probes

/// The header of a request, and the secrets in it.
extension RequestTableReader {
    /// The most bytes of a file that holds a secret.
    var mostSecretBytes: Int { 16 << 10 }

    /// The fields that are refused outside of files.
    private static var credentialFields: Set<String> {
        ["authorization", "proxy-authorization", "cookie", "set-cookie"]
    }

    mutating func readCredentials(into request: inout ProbeRequest) {
        guard let path = table.read("basic_auth_file", .path) else { return }
        do throws(RequestError) {
            request.credentials = try BasicCredentials(file: path)
            table.amend("basic_auth_file", material.digest(ofFile: path))
        } catch {
            table.report("basic_auth_file", error.description)
        }
    }

    mutating func readHeaders(into request: inout ProbeRequest) {
        let most = HeaderFields.maximumCount
        let names = Form<String>.string(0...8192).table(atMost: most) { name in
            return Self.credentialFields.contains(name.lowercased())
                ? "is a secret: write it to a file, and name that in 'header_files'" : Self.flaw(ofField: name)
        }
        let files = Form<String>.path.table(atMost: most, flaw: Self.flaw)
        let fields = table.readGuarded("headers", names) { SecretText.shown(fields: $0, names) } ?? [:]
        for name in fields.keys.sorted() where SecretName.isSecret(name) {
            table.warn("headers", "'\(name)' is a secret: write it to a file, and name that in 'header_files'")
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            set(name, value, from: "headers", in: &request.headers)
        }
        for (name, path) in (table.read("header_files", files) ?? [:]).sorted(by: { $0.key < $1.key }) {
            do throws(RegularFile.Failure) {
                let bytes = try RegularFile.bytes(of: path, atMost: mostSecretBytes, isSecret: true)
                let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
                guard let value = String(validating: line, as: UTF8.self), !value.isEmpty else {
                    throw RegularFile.Failure(description: "holds no text in its first line")
                }
                set(name, value, from: "header_files", in: &request.headers)
                request.hiddenFields.insert(name.lowercased())
                table.amend("header_files", RegularFile.digest(bytes))
            } catch {
                table.report("header_files", "\(path) \(error)")
            }
        }
    }

    private static func flaw(ofField name: String) -> String? {
        var fields = HeaderFields()
        do throws(RequestError) {
            try fields.set(name, "")
            return nil
        } catch {
            return error.description
        }
    }

    private func set(_ name: String, _ value: String, from key: String, in headers: inout HeaderFields) {
        guard headers.value(of: name) == nil else {
            return table.report(key, "the header field '\(name)' is given twice")
        }
        do throws(RequestError) {
            try headers.set(name, value)
        } catch {
            table.report(key, error.description)
        }
    }
}
