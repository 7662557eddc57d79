/// Tells from one check without TLS whether a captive portal answers in the target's place.
///
/// The rules are those that Android and Chromium share: the target answers 204, or 200 without a body, on the open
/// Internet, and whatever else comes with a status of 2xx or 3xx was put there by somebody on the way. The check should
/// be a GET that follows no redirects; where it did, its first answer counts.
///
/// A redirect from `http` to `https` at the same place is a portal too: a target that redirects so is no portal check.
/// Answers are not read for WISPr or for `<meta http-equiv="refresh">`: a page is a login page, wherever it leads.
public enum PortalJudge {
    /// Statuses of responses that came whole, and only were not what the probe expects.
    private static let expectationCodes: [FindingCode] = [.httpStatus, .httpContentType, .httpBody, .httpUndecodable]

    /// What a check says about a portal.
    ///
    /// - Parameters:
    ///   - report: The report of an HTTP check; any other is unclear.
    ///   - expectsBody: Whether the probe expects something of the body ("Success", "NetworkManager is online"). Then the
    ///     fulfilled expectation is what tells the open Internet, and an answer without a body tells nothing.
    public static func evidence(in report: CheckReport, expectsBody: Bool = false) -> PortalEvidence {
        guard let hop = report.hops.first, let response = hop.response else { return unclear(report) }
        let isWhole = report.verdict.code.map(expectationCodes.contains) ?? true
        switch response.status {
        case 511: return PortalEvidence(.portal, code: .portalAuthentication)
        case 300..<400: return redirect(response, at: hop.url)
        case 200..<300: break
        default: return unclear(report)
        }
        if expectsBody {
            if report.verdict == .ok { return PortalEvidence(.open) }
            // A body of any length is what a portal sends; one that was cut off may have been the expected one.
            guard isWhole && !isEmpty(response) || report.verdict.code == .httpTooLarge else { return unclear(report) }
        } else if response.status == 204 {
            return PortalEvidence(.open)
        } else if response.status == 200, isEmpty(response) {
            return isWhole ? PortalEvidence(.open) : unclear(report)
        }
        return PortalEvidence(.portal, code: isPage(response) ? .portalLoginPage : .portalContent)
    }

    /// Whether a code is what a check over TLS ends with when a portal, or an interceptor, answers in the server's place.
    ///
    /// A signature that does not verify is what a forger gives who calls himself by the true issuer's name.
    public static func isCertificateSuspicious(_ code: FindingCode) -> Bool {
        switch code {
        case .tlsUntrustedRoot, .tlsSelfSigned, .tlsHostname, .tlsMissingIntermediate, .tlsPinMismatch,
            .tlsSignatureInvalid:
            true
        default: false
        }
    }

    private static func unclear(_ report: CheckReport) -> PortalEvidence {
        let wasAnswered = report.hops.contains { $0.response != nil }
        return PortalEvidence(.unclear, code: report.verdict.code ?? (wasAnswered ? .httpStatus : nil))
    }

    /// Chromium takes one byte for nothing too: some proxies on the way add it.
    private static func isEmpty(_ response: ResponseReport) -> Bool {
        if let decoded = response.decodedBodyBytes { return decoded <= 1 }
        // The answer to a HEAD has a length and no body.
        let declared = value(of: "content-length", in: response).flatMap { Int($0) } ?? 0
        return max(response.bodyBytes, declared) <= 1
    }

    private static func redirect(_ response: ResponseReport, at place: String) -> PortalEvidence {
        guard let location = value(of: "location", in: response) else {
            return PortalEvidence(.portal, code: .portalContent)
        }
        return PortalEvidence(.portal, code: .portalRedirect, url: PortalURL.resolved(location, at: place))
    }

    private static func isPage(_ response: ResponseReport) -> Bool {
        if let type = value(of: "content-type", in: response) {
            // Portals write what they like behind the type.
            let essence = type.prefix { $0 != ";" && $0 != "," }.filter { $0 != " " && $0 != "\t" }.lowercased()
            return essence == "text/html" || essence == "application/xhtml+xml"
        }
        guard let body = response.body else { return false }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = body.dropFirst(body.starts(with: mark) ? 3 : 0).drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let beginning = String(decoding: start.prefix(16), as: UTF8.self).lowercased()
        return ["<!doctype html", "<html", "<head", "<title", "<meta", "<script", "<body"].contains {
            beginning.hasPrefix($0)
        }
    }

    private static func value(of name: StaticString, in response: ResponseReport) -> String? {
        response.headers.first { $0.name.isEqualCaseInsensitively(to: name) }?.value
    }
}
