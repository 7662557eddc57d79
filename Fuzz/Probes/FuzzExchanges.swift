internal import FuzzKit

@main
enum FuzzExchanges {
    static func main() {
        FuzzProgram.run([
            FuzzTarget("certificate", FuzzCertificates.run), FuzzTarget("dns", FuzzDNS.run),
            FuzzTarget("expectations", FuzzExpectations.run), FuzzTarget("header", FuzzHeaders.run),
            FuzzTarget("portal", FuzzPortal.run), FuzzTarget("response", FuzzResponse.run),
            FuzzTarget("url", FuzzURLs.run),
        ])
    }
}
