import Testing

@testable import Gateway

@Suite("Permit ledger")
struct PermitLedgerTests {
    private typealias Holder = PermitLedger.Holder

    @Test("a device has its share, and so has an address")
    func shares() {
        let book = Book(.init(total: 32, perAddress: 8, perDevice: 3, reserved: 16))
        for device in ["a", "b"] {
            for _ in 0..<3 { #expect(book.refusal(of: Holder(address: "192.0.2.1", device: device, isVerified: true)) == nil) }
            #expect(book.refusal(of: Holder(address: "192.0.2.2", device: device, isVerified: true)) == .device)
        }
        for _ in 0..<2 { #expect(book.refusal(of: Holder(address: "192.0.2.1", device: "c", isVerified: true)) == nil) }
        #expect(book.refusal(of: Holder(address: "192.0.2.1", device: "d", isVerified: true)) == .address)
        #expect(book.refusal(of: Holder(address: "192.0.2.2", device: "d", isVerified: true)) == nil)
        book.ledger.release(Holder(address: "192.0.2.1", device: "a", isVerified: true))
        #expect(book.refusal(of: Holder(address: "192.0.2.1", device: "a", isVerified: true)) == nil)
    }

    @Test("however many unverified devices come, the permits that are reserved stay for verified ones")
    func reserved() {
        let book = Book(.init(total: 32, perAddress: 8, perDevice: 3, reserved: 16))
        let acquired = (0..<100).count { book.refusal(of: Holder(address: "address \($0)", device: "device \($0)")) == nil }
        #expect(acquired == 16)
        let verified = (0..<100).count { book.refusal(of: Holder(address: "a \($0)", device: "d \($0)", isVerified: true)) == nil }
        #expect(verified == 16)
        #expect(book.refusal(of: Holder(address: "x", device: "y", isVerified: true)) == .total)
        // A permit released by a verified device is not available to unverified ones.
        book.ledger.release(Holder(address: "a 0", device: "d 0", isVerified: true))
        #expect(book.refusal(of: Holder(address: "x", device: "y")) == .total)
    }

    @Test("of event streams an address has ten, a gateway a thousand")
    func eventStreams() {
        let book = Book(EventsController.limits)
        for _ in 0..<10 { #expect(book.refusal(of: Holder(address: "a")) == nil) }
        #expect(book.refusal(of: Holder(address: "a")) == .address)
        let acquired = (0..<5000).count { book.refusal(of: Holder(address: "address \($0)")) == nil }
        #expect(acquired == 990)
        book.ledger.release(Holder(address: "a"))
        #expect(book.refusal(of: Holder(address: "a")) == nil)
    }

    @Test("of bundles with media an address has two")
    func bundles() {
        let book = Book(BundleController.limits)
        for _ in 0..<2 { #expect(book.refusal(of: Holder(address: "a")) == nil) }
        #expect(book.refusal(of: Holder(address: "a")) == .address)
        #expect(book.refusal(of: Holder(address: "b")) == nil)
    }

    @Test("zero is no limit")
    func unlimited() {
        let book = Book(.init(total: 0, perAddress: 0, perDevice: 0))
        let acquired = (0..<5000).count { _ in book.refusal(of: Holder(address: "a", device: "d")) == nil }
        #expect(acquired == 5000)
    }

    /// A ledger, and the refusals that it returned.
    private final class Book {
        var ledger: PermitLedger
        init(_ limits: PermitLedger.Limits) { ledger = PermitLedger(limits) }

        func refusal(of holder: Holder) -> PermitLedger.Refusal? {
            do throws(PermitLedger.Refusal) {
                try ledger.acquire(holder)
                return nil
            } catch {
                return error
            }
        }
    }
}
