extension RouteLookup: Codable {
    private enum Member: String, CodingKey { case destination, route, refused, errno, matched }

    private static let refusals: [(name: String, refusal: Refusal)] = [
        ("no_route", .noRoute), ("unreachable", .unreachable), ("blackhole", .blackhole), ("prohibited", .prohibited),
    ]

    /// Reads the answer: `route` or `refused`, and the entry that decided.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        let destination = try members.decode(IPAddress.self, forKey: .destination)
        let matched = try members.decodeIfPresent(Route.self, forKey: .matched)
        guard matched.map({ $0.family == destination.family }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .matched,
                in: members,
                debugDescription: "not of the destination's family"
            )
        }
        let outcome: Outcome
        if let route = try members.decodeIfPresent(ResolvedRoute.self, forKey: .route) {
            outcome = .route(route)
        } else if let number = try members.decodeIfPresent(Int32.self, forKey: .errno) {
            outcome = .refused(.failed(errno: number))
        } else {
            let name = try members.decode(String.self, forKey: .refused)
            guard let refusal = Self.refusals.first(where: { $0.name == name })?.refusal else {
                throw DecodingError.dataCorruptedError(
                    forKey: .refused,
                    in: members,
                    debugDescription: "an unknown reason"
                )
            }
            outcome = .refused(refusal)
        }
        self.init(destination: destination, outcome: outcome, matched: matched)
    }

    /// Writes the answer with a name for each reason; an `errno` without one as a number.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(destination, forKey: .destination)
        switch outcome {
        case .route(let route): try members.encode(route, forKey: .route)
        case .refused(.failed(let number)): try members.encode(number, forKey: .errno)
        case .refused(let refusal):
            try members.encodeIfPresent(Self.refusals.first { $0.refusal == refusal }?.name, forKey: .refused)
        }
        try members.encodeIfPresent(matched, forKey: .matched)
    }
}
