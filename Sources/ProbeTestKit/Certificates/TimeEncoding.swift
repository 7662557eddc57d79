internal import FoundationEssentials
internal import SwiftASN1

/// How a moment is written in a certificate.
public enum TimeEncoding: Sendable, Hashable {
    /// As RFC 5280 wants it: UTCTime from 1950 to 2049, GeneralizedTime outside.
    case automatic
    /// Two digits for the year: `260101000000Z`.
    case utcTime
    /// Four digits for the year: `20260101000000Z`.
    case generalizedTime
    /// This text as a UTCTime, whatever it says.
    case rawUTCTime(String)
    /// This text as a GeneralizedTime, whatever it says.
    case rawGeneralizedTime(String)

    /// The moment in DER.
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
