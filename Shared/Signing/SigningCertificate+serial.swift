import SwiftASN1
import X509

extension SigningCertificate {
    /// The leaf's serial number in decimal, as readers of Content Credentials show it.
    public var serialNumber: String { Self.decimal(leafSerialBytes) }

    /// The same of any certificate as DER; `nil` if it is none.
    public static func serialNumber(ofCertificate der: [UInt8]) -> String? {
        (try? Certificate(derEncoded: der)).map { decimal($0.serialNumber.bytes) }
    }

    /// - Parameter bytes: a number, big-endian.
    private static func decimal(_ bytes: some Sequence<UInt8>) -> String {
        // Little-endian decimal digits, multiplied by 256 for each further byte.
        var digits: [Int] = [0]
        for byte in bytes {
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
