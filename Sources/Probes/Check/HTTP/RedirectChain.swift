internal import CheckResults
internal import ForeignText
internal import HTTPSerialization

/// The redirects of one check so far, and the rules for the next one.
///
/// The rules are those of RFC 9110, section 15.4, and of the Fetch standard, with two more: a check that started with
/// TLS never continues without it, and credentials, including the client certificate and header fields for secrets, never
/// leave the origin for which they were configured.
struct RedirectChain {
    /// The reason a redirect is not followed.
    struct Refusal: Error {
        let finding: Finding
    }

    private var visited: Set<ForeignText> = []
    private var firstOrigin: String?
    private var followed = 0

    /// Records a requested URL.
    mutating func visit(_ request: SerializedRequest) {
        firstOrigin = firstOrigin ?? request.url.origin
        visited.insert(Self.key(request.method, request.url))
    }

    /// Returns whether a URL has the scheme, host and port of the first request.
    func isAtFirstOrigin(_ url: HTTPURL) -> Bool { url.origin == firstOrigin }

    /// Returns whether a response is a redirect that could be followed.
    func isRedirect(_ response: ResponseReport) -> Bool {
        switch response.status {
        case 301, 302, 303, 307, 308: Self.location(response) != nil
        default: false
        }
    }

    /// Returns the request that follows a redirect.
    mutating func follow(
        _ response: ResponseReport,
        of request: SerializedRequest,
        maximum: Int
    ) -> Result<SerializedRequest, Refusal> {
        guard let location = Self.location(response) else {
            return Self.refuse(.redirectInvalid, request, "there is no Location field")
        }
        guard followed < maximum else {
            return Self.refuse(.redirectLimit, request, "more than \(maximum) redirects")
        }
        // With HTTP/2 the library has replaced the bytes, and this is not the address that the server named.
        guard !location.unicodeScalars.contains("\u{FFFD}") else {
            return Self.refuse(.redirectInvalid, request, "the Location has U+FFFD, as for bytes that are not UTF-8")
        }
        let target: HTTPURL
        do {
            target = try request.url.resolving(reference: location)
        } catch .unsupportedScheme(let scheme) {
            return Self.refuse(.redirectRefused, request, "the redirect leads to the scheme '\(scheme)'")
        } catch {
            return Self.refuse(.redirectInvalid, request, error.description)
        }
        guard request.url.scheme == .http || target.scheme == .https else {
            return Self.refuse(.redirectRefused, request, "the redirect leads from https to \(target.origin)")
        }
        let next = request.redirected(to: target, status: response.status)
        guard !visited.contains(Self.key(next.method, target)) else {
            let shown = SecretName.hidingQuery(of: target.description)
            return Self.refuse(.redirectLoop, request, "the redirect leads back to \(shown)")
        }
        followed += 1
        return .success(next)
    }

    private static func location(_ response: ResponseReport) -> String? {
        response.headers.first { $0.isNamed("location") }?.value
    }

    private static func key(_ method: String, _ url: HTTPURL) -> ForeignText { ForeignText("\(method) \(url)") }

    private static func refuse(
        _ code: FindingCode,
        _ request: SerializedRequest,
        _ evidence: String
    ) -> Result<SerializedRequest, Refusal> {
        .failure(
            Refusal(
                finding: Finding(code, subject: SecretName.hidingQuery(of: request.url.description), evidence: evidence)
            )
        )
    }
}
