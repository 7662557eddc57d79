extension RouteLookup: Codable {
    private enum Member: String, CodingKey { case destination, matched, unconnected }

    /// Decodes the answer: `route` or `refused`, and the deciding entry.
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
        self.init(
            destination: destination,
            outcome: try Outcome(from: decoder),
            matched: matched,
            unconnected: try members.decodeIfPresent(Outcome.self, forKey: .unconnected)
        )
    }

    /// Encodes the answer with a name for each reason; an unnamed `errno` as a number.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(destination, forKey: .destination)
        try outcome.encode(to: encoder)
        try members.encodeIfPresent(matched, forKey: .matched)
        try members.encodeIfPresent(unconnected, forKey: .unconnected)
    }
}

extension RouteLookup.Outcome: Codable {
    private enum Member: String, CodingKey { case route, refused, errno }

    private static let refusals: [(name: String, refusal: RouteLookup.Refusal)] = [
        ("no_route", .noRoute), ("unreachable", .unreachable), ("blackhole", .blackhole), ("prohibited", .prohibited),
    ]

    /// Decodes `route`, `refused` or `errno`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        if let route = try members.decodeIfPresent(ResolvedRoute.self, forKey: .route) {
            self = .route(route)
        } else if let number = try members.decodeIfPresent(Int32.self, forKey: .errno) {
            self = .refused(.failed(errno: number))
        } else {
            let name = try members.decode(String.self, forKey: .refused)
            guard let refusal = Self.refusals.first(where: { $0.name == name })?.refusal else {
                throw DecodingError.dataCorruptedError(
                    forKey: .refused,
                    in: members,
                    debugDescription: "an unknown reason"
                )
            }
            self = .refused(refusal)
        }
    }

    /// Encodes `route`, `refused` or `errno`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        switch self {
        case .route(let route): try members.encode(route, forKey: .route)
        case .refused(.failed(let number)): try members.encode(number, forKey: .errno)
        case .refused(let refusal):
            try members.encodeIfPresent(Self.refusals.first { $0.refusal == refusal }?.name, forKey: .refused)
        }
    }
}
