/// Parameters as a query or a form, like AFNetworking's AFQueryStringFromParameters.
///
/// Members of a dictionary are `name[member]`, elements of an array `name[]`, members of a set repeat the name.
/// Dictionaries are written in the order of the names, sets in the order of the values, repeated names in the given
/// order.
public enum QueryString {
    /// Returns the parameters as a string: names and values percent-encoded, except for unreserved characters, `/` and
    /// `?`.
    ///
    /// A value that is already encoded is encoded again.
    /// - Throws: ``RequestError`` unless the parameters are a dictionary and not nested too deeply.
    public static func text(of parameters: ParameterValue) throws(RequestError) -> String {
        try pairs(of: parameters).map { name, value in
            let name = PercentEncoding.encoded(name, allowing: .parameter)
            return value.map { "\(name)=\(PercentEncoding.encoded($0, allowing: .parameter))" } ?? name
        }.joined(separator: "&")
    }

    /// Returns the parameters as unencoded names and values; nil for a name without a value.
    ///
    /// - Throws: ``RequestError`` unless the parameters are a dictionary and not nested too deeply.
    public static func pairs(of parameters: ParameterValue) throws(RequestError) -> [(name: String, value: String?)] {
        guard case .dictionary(let values) = parameters else { throw .parametersWithoutNames }
        var pairs: [(name: String, value: String?)] = []
        for (name, value) in ParameterValue.sorted(values) { try append(value, name: name, depth: 1, to: &pairs) }
        return pairs
    }

    private static func append(
        _ value: ParameterValue,
        name: String,
        depth: Int,
        to pairs: inout [(name: String, value: String?)]
    ) throws(RequestError) {
        guard depth <= ParameterValue.maximumDepth else { throw .parametersTooDeep }
        switch value {
        case .string, .integer, .number, .bool:
            pairs.append((name, value.text))
        case .null:
            pairs.append((name, nil))
        case .array(let values):
            for value in values { try append(value, name: name + "[]", depth: depth + 1, to: &pairs) }
        case .dictionary(let values):
            for (key, value) in ParameterValue.sorted(values) {
                try append(value, name: "\(name)[\(key)]", depth: depth + 1, to: &pairs)
            }
        case .set(let values):
            for value in ParameterValue.sorted(values) {
                try append(value, name: name, depth: depth + 1, to: &pairs)
            }
        case .repeated(let values):
            for value in values { try append(value, name: name, depth: depth + 1, to: &pairs) }
        }
    }
}
