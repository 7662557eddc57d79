internal import Probes

extension TableReader {
    /// Loads a client certificate and its private key; `nil` after an error, which is reported at the key whose file it
    /// concerns.
    func clientIdentity(_ certificate: String, _ key: String) -> ClientIdentity? {
        do throws(ClientIdentity.LoadError) {
            return try ClientIdentity(certificateFile: certificate, keyFile: key)
        } catch {
            let isOfKey =
                switch error {
                case .noPrivateKey, .otherKey: true
                case .noCertificate: false
                case .unreadable(let path, _), .tooLarge(let path): path == key
                }
            report(isOfKey ? "client_key" : "client_certificate", error.description)
            return nil
        }
    }
}
