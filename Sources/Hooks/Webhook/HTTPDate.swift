internal import Glibc

/// A parser for the dates of HTTP header fields (RFC 9110, section 5.6.7): the preferred format and the two obsolete ones,
/// which a recipient must accept.
enum HTTPDate {
    /// The maximum length of a date, in bytes; the longest valid one has 33.
    private static let longest = 40
    private static let months: [[UInt8]] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// Returns a date in seconds since 1970; nil if the text is not a date.
    ///
    /// The day of the week is not evaluated.
    /// - Parameter now: The current time in seconds since 1970, which determines the century of a year of two digits.
    static func seconds(_ text: String, now: Int) -> Int? {
        guard text.utf8.count <= longest else { return nil }
        let words = Array(text.utf8).split(separator: UInt8(ascii: " "))
        switch words.count {
        case 6 where isGMT(words[5]):
            // Sun, 06 Nov 1994 08:49:37 GMT
            return seconds(words[1], words[2], number(words[3], 4), words[4])
        case 5:
            // Sun Nov  6 08:49:37 1994
            return seconds(words[2], words[1], number(words[4], 4), words[3])
        case 4 where isGMT(words[3]):
            // Sunday, 06-Nov-94 08:49:37 GMT
            let parts = words[1].split(separator: UInt8(ascii: "-"))
            guard parts.count == 3, let year = number(parts[2], 2),
                let latest = seconds(parts[0], parts[1], 2000 + year, words[2])
            else { return nil }
            // A date that appears to be more than 50 years in the future is one of the past.
            let isPast = latest - now > 50 * 365 * 86_400
            return isPast ? seconds(parts[0], parts[1], 1900 + year, words[2]) : latest
        default: return nil
        }
    }

    private static func seconds(
        _ day: ArraySlice<UInt8>,
        _ month: ArraySlice<UInt8>,
        _ year: Int?,
        _ time: ArraySlice<UInt8>
    ) -> Int? {
        let parts = time.split(separator: UInt8(ascii: ":"))
        guard let year, let month = months.firstIndex(where: { $0.elementsEqual(month) }),
            let day = number(day, 1) ?? number(day, 2), parts.count == 3,
            let hour = number(parts[0], 2), let minute = number(parts[1], 2), let second = number(parts[2], 2),
            // 60 is a leap second.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (Int32(year - 1900), Int32(month), Int32(day))
        let midnight = timegm(&date)
        // The C library turns a day that the month does not have into one of the next month.
        guard Int(date.tm_mday) == day else { return nil }
        return midnight + hour * 3600 + minute * 60 + second
    }

    private static func isGMT(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.elementsEqual("GMT".utf8) }

    /// Returns a number of exactly so many digits.
    private static func number(_ bytes: ArraySlice<UInt8>, _ digits: Int) -> Int? {
        guard bytes.count == digits, bytes.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
