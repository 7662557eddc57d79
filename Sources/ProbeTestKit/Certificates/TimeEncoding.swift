internal import FoundationEssentials
internal import SwiftASN1

/// The encoding of a time in a certificate.
public enum TimeEncoding: Sendable, Hashable {
    /// The encoding required by RFC 5280: UTCTime from 1950 to 2049, GeneralizedTime otherwise.
    case automatic
    /// A two-digit year: `260101000000Z`.
    case utcTime
    /// A four-digit year: `20260101000000Z`.
    case generalizedTime
    /// Arbitrary text as a UTCTime.
    case rawUTCTime(String)
    /// Arbitrary text as a GeneralizedTime.
    case rawGeneralizedTime(String)

    /// Returns the time in DER.
    func der(of date: Date) -> [UInt8] {
        switch self {
        case .automatic:
            (1950..<2050).contains(TestDate.year(of: date))
                ? TimeEncoding.utcTime.der(of: date) : TimeEncoding.generalizedTime.der(of: date)
        case .utcTime: DERForm.primitive(.utcTime, Array(TestDate.digits(of: date).utf8.dropFirst(2)))
        case .generalizedTime: DERForm.primitive(.generalizedTime, Array(TestDate.digits(of: date).utf8))
        case .rawUTCTime(let text): DERForm.primitive(.utcTime, Array(text.utf8))
        case .rawGeneralizedTime(let text): DERForm.primitive(.generalizedTime, Array(text.utf8))
        }
    }
}
