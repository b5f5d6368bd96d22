import X509

extension SigningCertificate {
    /// The leaf's serial number in decimal, as readers of Content Credentials show it.
    public var serialNumber: String {
        // Little-endian decimal digits, multiplied by 256 for each further byte.
        var digits: [Int] = [0]
        for byte in leafSerialBytes {
            var carry = Int(byte)
            for index in digits.indices {
                let value = digits[index] * 256 + carry
                digits[index] = value % 10
                carry = value / 10
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        return digits.reversed().map(String.init).joined()
    }
}
