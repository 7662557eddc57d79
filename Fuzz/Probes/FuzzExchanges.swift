internal import FuzzKit

@main
enum FuzzExchanges {
    static func main() {
        FuzzProgram.run([
            FuzzTarget("certificate", maximumLength: 1 << 17, FuzzCertificates.run),
            FuzzTarget("chain", maximumLength: 1 << 17, FuzzChains.run), FuzzTarget("dns", FuzzDNS.run),
            FuzzTarget("expectations", maximumLength: 1 << 20, FuzzExpectations.run),
            FuzzTarget("header", FuzzHeaders.run),
            FuzzTarget("portal", FuzzPortal.run), FuzzTarget("response", maximumLength: 1 << 20, FuzzResponse.run),
            FuzzTarget("url", FuzzURLs.run),
        ])
    }
}
