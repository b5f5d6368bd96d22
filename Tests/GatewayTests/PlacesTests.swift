import Testing

@testable import Gateway

@Suite("Places")
struct PlacesTests {
    private typealias Holder = PlaceLedger.Holder

    @Test("a device has its share, and so has an address")
    func shares() {
        let book = Book(.init(total: 32, perAddress: 8, perDevice: 3, kept: 16))
        for device in ["a", "b"] {
            for _ in 0..<3 { #expect(book.take(Holder(address: "192.0.2.1", device: device, isVerified: true)) == nil) }
            #expect(book.take(Holder(address: "192.0.2.2", device: device, isVerified: true)) == .device)
        }
        for _ in 0..<2 { #expect(book.take(Holder(address: "192.0.2.1", device: "c", isVerified: true)) == nil) }
        #expect(book.take(Holder(address: "192.0.2.1", device: "d", isVerified: true)) == .address)
        #expect(book.take(Holder(address: "192.0.2.2", device: "d", isVerified: true)) == nil)
        book.ledger.give(Holder(address: "192.0.2.1", device: "a", isVerified: true))
        #expect(book.take(Holder(address: "192.0.2.1", device: "a", isVerified: true)) == nil)
    }

    @Test("however many unverified devices come, the places that are kept stay for verified ones")
    func kept() {
        let book = Book(.init(total: 32, perAddress: 8, perDevice: 3, kept: 16))
        let taken = (0..<100).count { book.take(Holder(address: "address \($0)", device: "device \($0)")) == nil }
        #expect(taken == 16)
        let verified = (0..<100).count { book.take(Holder(address: "a \($0)", device: "d \($0)", isVerified: true)) == nil }
        #expect(verified == 16)
        #expect(book.take(Holder(address: "x", device: "y", isVerified: true)) == .all)
        // What a verified device gives back is not for the others.
        book.ledger.give(Holder(address: "a 0", device: "d 0", isVerified: true))
        #expect(book.take(Holder(address: "x", device: "y")) == .all)
    }

    @Test("zero is no limit")
    func unlimited() {
        let book = Book(.init(total: 0, perAddress: 0, perDevice: 0))
        let taken = (0..<5000).count { _ in book.take(Holder(address: "a", device: "d")) == nil }
        #expect(taken == 5000)
    }

    @Test("a place is given back once, by hand or when it is let go")
    func givesBack() throws {
        let places = Places("things", .init(total: 1), metric: "test_places")
        do {
            let place = try places.take(address: "a")
            place.give()
            place.give()
            let again = try places.take(address: "b")
            #expect(refused(places, "c")?.code == .serviceUnavailable)
            withExtendedLifetime(again) {}
        }
        withExtendedLifetime(try places.take(address: "d")) {}
    }

    @Test("refusals say when to come again, by whose limit it was")
    func refusals() throws {
        let places = Places("uploads", .init(total: 2, perAddress: 1), metric: "test_places")
        let held = [try places.take(address: "a"), try places.take(address: "b")]
        #expect(refused(places, "a")?.code == .rateLimited)
        #expect(refused(places, "c")?.code == .serviceUnavailable)
        #expect(refused(places, "c")?.headers[.retryAfter] == "1")
        withExtendedLifetime(held) {}
    }

    @Test("of many who ask at once exactly as many get one as there are")
    func race() async {
        let places = Places("things", .init(total: 7), metric: "test_places")
        let held = await withTaskGroup(of: Places.Place?.self) { group in
            for index in 0..<200 { group.addTask { try? places.take(address: "\(index)") } }
            return await group.reduce(into: [Places.Place]()) { held, place in if let place { held.append(place) } }
        }
        #expect(held.count == 7)
    }

    /// A ledger, and what it refuses.
    private final class Book {
        var ledger: PlaceLedger
        init(_ rule: PlaceLedger.Rule) { ledger = PlaceLedger(rule) }

        func take(_ holder: Holder) -> PlaceLedger.Refusal? {
            do throws(PlaceLedger.Refusal) {
                try ledger.take(holder)
                return nil
            } catch {
                return error
            }
        }
    }

    private func refused(_ places: Places, _ address: String) -> APIError? {
        do throws(APIError) {
            _ = try places.take(address: address)
            return nil
        } catch {
            return error
        }
    }
}

@Suite("Room for strangers' files")
struct ScratchRoomTests {
    @Test("is bounded for all together, and given back with the file")
    func bound() throws {
        let room = ScratchRoom(bytes: 100)
        let first = room.share()
        try first.grow(by: 60)
        do {
            let second = room.share()
            try second.grow(by: 40)
            let refused = refusal { try first.grow(by: 1) }
            #expect(refused?.code == .serviceUnavailable && refused?.headers[.retryAfter] != nil)
            withExtendedLifetime(second) {}
        }
        try first.grow(by: 40)
    }

    @Test("zero is no limit")
    func unlimited() throws { try ScratchRoom(bytes: 0).share().grow(by: .max) }
}
