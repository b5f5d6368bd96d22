import Testing

@testable import Gateway

@Suite("Short ids")
struct ShortIDTests {
    @Test("a random one is valid, and does not repeat")
    func random() {
        let ids = (0..<1000).map { _ in ShortID.random() }
        #expect(ids.allSatisfy(ShortID.isValid))
        #expect(Set(ids).count == ids.count)
    }

    @Test(
        "anything but eight characters of base62 is refused",
        arguments: [
            "", "1234567", "123456789", "1234567-", "1234567é", "../../..", "1234567\n", "       1",
        ])
    func refuses(text: String) { #expect(!ShortID.isValid(text)) }
}
