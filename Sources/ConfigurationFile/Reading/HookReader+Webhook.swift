internal import Hooks
internal import Probes
internal import Reachability

/// A request to send.
extension HookReader {
    /// The fields that a signature sets.
    private static let signatureFields = ["webhook-id", "webhook-timestamp", "webhook-signature"]
    private static let mostBodyBytes = 64 << 10

    /// The request; nil when something in it is wrong.
    mutating func readWebhook(timeout: Duration) -> Webhook? {
        let target = readAddress()
        var request = ProbeRequest()
        request.method = table.read("method", .string(1...32), default: "POST")
        readHeaders(into: &request)
        readCredentials(into: &request)
        request.allowsCellularAccess = table.read("allow_cellular", .boolean, default: true)
        let body = table.readGuarded("body", .webhookBody(atMost: Self.mostBodyBytes), isDigested: true) { body in
            SecretText.shown(json: body.text)
        }
        let secretFile = readSecretFile(request.headers)
        let retries = table.read("retries", .integer(0...20), default: 5)
        let codes = table.read("expect_status", .statusCodes, default: .success)
        let interface = table.read("interface", .interfaceName)
        let families = readFamilies(target)
        let tls = readTLS()
        let evaluator = readPolicy()
        guard let target, let evaluator else { return nil }
        let probe = Probe(
            target: target,
            request: request,
            serializer: material.serializer,
            expectations: ResponseExpectations(acceptableStatusCodes: codes),
            trust: evaluator,
            tls: tls,
            interface: interface,
            families: families,
            timeout: timeout
        )
        check(probe)
        return Webhook(probe: probe, body: body, secretFile: secretFile, retries: retries)
    }

    /// Where the request goes; chat services make the whole address a secret, so only its origin is shown.
    private mutating func readAddress() -> ProbeTarget? {
        guard table.has("url_file") else {
            return table.readGuarded("url", .webAddress) { TOMLText.quoted($0.shownOrigin) }
        }
        guard let path = table.read("url_file", .path) else { return nil }
        do throws(RegularFile.Failure) {
            let bytes = try RegularFile.bytes(of: path, atMost: mostSecretBytes, isSecret: true)
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard let text = String(validating: line, as: UTF8.self), !text.isEmpty else {
                throw RegularFile.Failure(description: "holds no text in its first line")
            }
            var errors: [ValueError] = []
            let node = Node(value: .string(text), origin: table.origin(of: "url_file"))
            guard let target = Form<ProbeTarget>.webAddress.read(node, &errors) else {
                throw RegularFile.Failure(description: "holds no address of a web server in its first line")
            }
            table.amend("url_file", RegularFile.digest(bytes))
            return target
        } catch {
            table.report("url_file", "\(path) \(error)")
            return nil
        }
    }

    /// The path of the secret, which is read again for each request: what would fail then is wrong now.
    private mutating func readSecretFile(_ headers: HeaderFields) -> String? {
        guard let path = table.read("secret_file", .path) else { return nil }
        do throws(RequestError) {
            _ = try WebhookSignature(secretFile: path)
        } catch {
            table.report("secret_file", error.description)
        }
        for field in Self.signatureFields where headers.value(of: field) != nil {
            table.report("secret_file", "the signature sets the header field '\(field)', which is given too")
        }
        return path
    }

    /// An address has one family.
    private mutating func readFamilies(_ target: ProbeTarget?) -> AddressFamilies {
        let families = table.read("families", Form<AddressFamilies>.choice, default: .any)
        guard case .http(let url)? = target, case .address(let bytes) = url.host else { return families }
        let fixed: AddressFamilies = bytes.count == 4 ? .ipv4 : .ipv6
        if families != .any, families != fixed {
            let text = fixed == .ipv4 ? "IPv4" : "IPv6"
            table.report("families", "'\(families.rawValue)' contradicts the address in 'url', which is \(text)")
        }
        return families
    }
}
