import Foundation
import NetlinkMonitor
import Testing

@Suite("The two clocks of an observation")
struct ObservedTimeTests {
    @Test("an observation survives coders with one epoch, and others name what they lack")
    func coding() throws {
        let key = try #require(CodingUserInfoKey.observationEpoch)
        let now = ObservedTime.now
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        let lack = try #require(throws: EncodingError.self) { try encoder.encode(now) }
        #expect("\(lack)".contains("observationEpoch"))
        encoder.userInfo[key] = now.instant - .seconds(1)
        let bytes = try encoder.encode(now)
        #expect(throws: DecodingError.self) { try decoder.decode(ObservedTime.self, from: bytes) }
        decoder.userInfo[key] = now.instant - .seconds(1)
        #expect(try decoder.decode(ObservedTime.self, from: bytes) == now)
    }
}
