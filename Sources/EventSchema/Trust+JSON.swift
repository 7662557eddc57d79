public import EventEnvelope
internal import FoundationEssentials
public import Probes

extension TLSReport: JSONRepresentable {
    /// Writes what the handshake came to.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("version", ifPresent: version)
            json.member("cipher", ifPresent: cipher)
            json.member("alpn", ifPresent: applicationProtocol)
            json.member("server_name", ifPresent: serverName)
            if let trust { json.member("trust", trust) }
        }
    }
}

extension TrustVerdict: JSONRepresentable {
    /// Writes `{"accepted":…,"code":…,"at":…,"findings":[…],"presented":[…],"validated":[…]}`.
    ///
    /// With a policy that pins, `"pins":[{"pin":…,"matched":…,"backup":…}]` follows.
    ///
    /// The days that a certificate has left are counted from the moment for which it was judged.
    public func write(to json: inout JSONWriter) {
        let time = Timestamp(date)
        json.object { json in
            json.member("accepted", isAccepted)
            json.member("code", ifPresent: code?.rawValue)
            json.member("at", time)
            json.name("findings")
            json.array(findings) { json, finding in finding.write(to: &json) }
            json.name("presented")
            json.array(presentedChain) { json, certificate in certificate.write(at: time, to: &json) }
            json.name("validated")
            json.array(validatedChain) { json, certificate in certificate.write(at: time, to: &json) }
            if let pinAudit {
                json.name("pins")
                json.array(pinAudit.entries) { json, entry in entry.write(to: &json) }
            }
        }
    }
}

extension PinAudit.Entry: JSONRepresentable {
    /// Writes `{"pin":…,"matched":…,"backup":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("pin", pin)
            json.member("matched", isMatched)
            json.member("backup", isBackup)
        }
    }
}

extension CertificateDescription {
    /// Writes everything that is known of a certificate.
    func write(at time: Timestamp, to json: inout JSONWriter) {
        json.object { json in
            json.member("subject", subject)
            json.name("names")
            json.array(subjectAlternativeNames) { $0.string($1) }
            json.member("issuer", issuer)
            if let notValidBefore { json.member("not_before", Timestamp(notValidBefore)) }
            if let notValidAfter { json.member("not_after", Timestamp(notValidAfter)) }
            if let days = daysLeft(at: time.date) { json.member("days_left", days) }
            json.member("serial", serialNumber)
            json.member("sha256", sha256)
            json.member("pin", ifPresent: publicKeyPin?.description)
            json.member("key", key)
            json.member("signature", signature)
            json.member("ca", isCertificateAuthority)
        }
    }
}
