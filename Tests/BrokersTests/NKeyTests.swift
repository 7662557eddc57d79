import Testing

@testable import Brokers

struct NKeyTests {
    /// A seed of NATS' documentation, and one that `openssl` and Python agree on.
    @Test(arguments: [
        (
            "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
            "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
        ),
        (
            "SUAOPHSADAPFMJ6CIQRGGHG2GMAKFDFWTOCORCIFXRTTHFM3Q52TCFKWTQ",
            "UDE7YNTS7OCVMWX4VRKMFMKR5LSMB6LFJ3HIGTTB5EHRXNNRXWCG2LSV"
        ),
    ])
    func `the public key of a seed is that of the server's list`(seed: String, key: String) {
        #expect(NKey.publicKey(ofSeed: seed) == key)
    }

    @Test(arguments: [
        "", "SU", "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
        // A digit is wrong, one is missing, one is too many.
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VZ",
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3V",
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VYA",
        "suacssl3uahudxkfsnvuzrf5uhpmwz6bfdtj7m6usdxiednppqyyycu3vy", "SUÄ", String(repeating: "A", count: 10_000),
    ])
    func `anything else has none`(text: String) { #expect(NKey.publicKey(ofSeed: text) == nil) }
}
