internal import FuzzKit

@main
enum FuzzExchanges {
    static func main() {
        FuzzProgram.run([
            FuzzTarget("dns", FuzzDNS.run),
            FuzzTarget("flight", maximumLength: FuzzFlight.maximumLength, FuzzFlight.run),
            FuzzTarget("frames", FuzzFrames.run), FuzzTarget("icmp", FuzzICMP.run),
            FuzzTarget("portal", FuzzPortal.run), FuzzTarget("range", FuzzContentRange.run),
            FuzzTarget("response", maximumLength: 1 << 20, FuzzResponse.run), FuzzTarget("url", FuzzURLs.run),
        ])
    }
}
