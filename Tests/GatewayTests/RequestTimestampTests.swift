import Foundation
import Testing

@testable import Gateway

@Suite("Request timestamps")
struct RequestTimestampTests {
    private static let milliseconds: Int64 = 1_795_000_000_000
    private static let window: Int64 = 300_000

    @Test("up to five minutes off is current, both ends included", arguments: [-300_000, -299_999, -1, 0, 1, 299_999, 300_000] as [Int64])
    func inside(offset: Int64) { #expect(RequestTimestamp.isCurrent(String(Self.milliseconds + offset), at: now)) }

    @Test("a millisecond more is not", arguments: [-300_001, 300_001, -1_795_000_000_000, 86_400_000] as [Int64])
    func outside(offset: Int64) { #expect(!RequestTimestamp.isCurrent(String(Self.milliseconds + offset), at: now)) }

    @Test("seconds instead of milliseconds are not current")
    func seconds() { #expect(!RequestTimestamp.isCurrent("1795000000", at: now)) }

    @Test(
        "anything but digits is refused",
        arguments: [
            "", " 1795000000000", "1795000000000 ", "+1795000000000", "-1", "1795000000000.0", "1.795e12", "0x1A1ECB3D600", "١٧٩٥٠٠٠٠٠٠٠٠٠",
            "1795000000000\0", "999999999999999", "9999999999999999", "99999999999999999999999999",
        ])
    func malformed(text: String) { #expect(!RequestTimestamp.isCurrent(text, at: now)) }
}
