internal import CNettle

/// Integers of any size, by GMP, for the time of one computation.
struct BigIntegers: ~Copyable {
    private let numbers: UnsafeMutableBufferPointer<__mpz_struct>

    /// Lends a computation some integers, which are 0, and frees them after it.
    static func with<Result>(_ count: Int, _ compute: (borrowing BigIntegers) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: __mpz_struct.self, capacity: count) { numbers in
            for index in numbers.indices { __gmpz_init(numbers.baseAddress.map { $0 + index }) }
            defer { for index in numbers.indices { __gmpz_clear(numbers.baseAddress.map { $0 + index }) } }
            return compute(BigIntegers(numbers: numbers))
        }
    }

    /// The integer at an index, for a function of GMP or Nettle.
    subscript(index: Int) -> mpz_ptr? { numbers.baseAddress.map { $0 + index } }

    /// Sets an integer to a magnitude of bytes, the highest first.
    func set(_ index: Int, to magnitude: [UInt8]) { nettle_mpz_set_str_256_u(self[index], magnitude.count, magnitude) }

    /// Sets an integer by its hexadecimal digits.
    func set(_ index: Int, hexadecimal digits: String) { __gmpz_set_str(self[index], digits, 16) }
}
