extension PropertyListValue {
    /// Reads a property list as XML or binary; the old text form is refused, because any word would be one.
    ///
    /// - Parameter budget: Pays for the bytes and the values; nil for a list that the operator wrote.
    /// - Throws: ``PropertyListError``.
    package init(parsing bytes: [UInt8], budget: WorkBudget? = nil) throws(PropertyListError) {
        if bytes.starts(with: BinaryPropertyList.signature) {
            self = try BinaryPropertyList.parse(bytes, budget: budget)
            return
        }
        do throws(XMLError) {
            self = try XMLPropertyList.parse(bytes, budget: budget)
        } catch {
            throw PropertyListError(error.description)
        }
    }
}
