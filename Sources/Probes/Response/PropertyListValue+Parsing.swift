extension PropertyListValue {
    /// Reads a property list as XML or binary; the old text form is refused, because any word would be one.
    ///
    /// - Throws: ``PropertyListError``.
    package init(parsing bytes: [UInt8]) throws(PropertyListError) {
        if bytes.starts(with: BinaryPropertyList.signature) {
            self = try BinaryPropertyList.parse(bytes)
            return
        }
        do throws(XMLError) {
            self = try XMLPropertyList.parse(bytes)
        } catch {
            throw PropertyListError(error.description)
        }
    }
}
