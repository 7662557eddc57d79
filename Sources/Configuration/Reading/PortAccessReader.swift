internal import Glibc
internal import NetlinkMonitor
internal import PortAccess

/// Reads the access rules for clients of `[http] listen` from the files named in the section.
///
/// An address that other machines can reach is rejected unless it is encrypted and authenticates its clients, or the
/// configuration explicitly permits otherwise.
struct PortAccessReader {
    let http: HTTPSettings
    let table: TableReader

    /// Returns the rules; `nil` if none are configured, or after an error, which is in the notes.
    func access() -> PortAccess? {
        let passwords = readPasswords()
        let tls = readTLS()
        let isConfigured = http.isInsecure || ["tls_certificate", "basic_auth_file"].contains(where: table.has)
        let access = isConfigured ? PortAccess(tls: tls, passwords: passwords, isInsecure: http.isInsecure) : nil
        judge(access)
        return access
    }

    private func judge(_ access: PortAccess?) {
        let open = http.listen.filter { !$0.address.isLoopback }
        guard let first = open.first else {
            let files = ["tls_certificate", "client_ca_file", "basic_auth_file"].filter(table.has)
            for key in files + (http.isInsecure ? ["insecure"] : []) {
                table.warn(key, "has no effect: 'listen' has no address that other machines reach")
            }
            return
        }
        let isEncrypted = table.has("tls_certificate")
        let isChecked = table.has("client_ca_file") || table.has("basic_auth_file")
        guard !isEncrypted || !isChecked else {
            if http.isInsecure { table.warn("insecure", "has no effect: clients are checked over TLS") }
            return
        }
        if http.isInsecure {
            let readers =
                isChecked ? "the passwords are sent unencrypted" : "everyone who reaches \(first) can read everything"
            return table.warn("insecure", isEncrypted || isChecked ? readers : "\(readers), and nothing is encrypted")
        }
        let missing =
            (isEncrypted ? [] : ["'tls_certificate' and 'tls_key'"])
            + (isChecked ? [] : ["'client_ca_file' or 'basic_auth_file'"])
        table.report(
            "listen",
            """
            other machines reach \(first), which needs \(missing.joined(separator: ", and ")); or listen on \
            127.0.0.1:\(first.port), or accept everyone with 'insecure = true' (docs/page.md)
            """
        )
    }

    private func readTLS() -> PortTLS? {
        let isComplete = table.has("tls_certificate") == table.has("tls_key")
        if !isComplete {
            let given = table.has("tls_key") ? "tls_key" : "tls_certificate"
            table.report(given, "'tls_certificate' and 'tls_key' need each other")
        }
        if table.has("client_ca_file"), !table.has("tls_certificate") {
            table.report("client_ca_file", "needs 'tls_certificate' and 'tls_key'")
        }
        let certificate = bytes("tls_certificate", http.tlsCertificate)
        let key = bytes("tls_key", http.tlsKey, isSecret: true)
        let authorities = bytes("client_ca_file", http.clientCAFile)
        guard isComplete, let certificate, let key, authorities != nil || http.clientCAFile == nil else { return nil }
        do throws(PortAccessError) {
            let tls = try PortTLS(certificate: certificate, key: key, clientAuthorities: authorities)
            if tls.expires < time(nil) {
                table.warn("tls_certificate", "the certificate in \(http.tlsCertificate ?? "") has expired")
            }
            return tls
        } catch {
            switch error {
            case .certificate: table.report("tls_certificate", "\(http.tlsCertificate ?? "") \(error)")
            case .clientAuthorities: table.report("client_ca_file", "\(http.clientCAFile ?? "") \(error)")
            case .key, .passwords: table.report("tls_key", "\(http.tlsKey ?? "") \(error)")
            }
            return nil
        }
    }

    private func readPasswords() -> PasswordFile? {
        let max = PasswordFile.maximumBytes
        guard let bytes = bytes("basic_auth_file", http.basicAuthFile, max: max, isSecret: true) else { return nil }
        do throws(PortAccessError) {
            return try PasswordFile(bytes)
        } catch {
            table.report("basic_auth_file", "\(http.basicAuthFile ?? "") \(error)")
            return nil
        }
    }

    private func bytes(
        _ key: String,
        _ path: String?,
        max: Int = PortTLS.maximumBytes,
        isSecret: Bool = false
    ) -> [UInt8]? {
        guard let path else { return nil }
        do throws(RegularFile.Failure) {
            return try RegularFile.bytes(of: path, max: max, isSecret: isSecret)
        } catch {
            table.report(key, "\(path) \(error)")
            return nil
        }
    }
}
