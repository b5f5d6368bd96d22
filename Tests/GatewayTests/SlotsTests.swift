import Testing

@testable import Gateway

@Suite("Stream slots")
struct StreamSlotsTests {
    @Test("an address has ten, another its own")
    func perAddress() {
        let slots = StreamSlots()
        let held = (0..<10).compactMap { _ in slots.take("192.0.2.1") }
        #expect(held.count == 10)
        #expect(slots.take("192.0.2.1") == nil)
        #expect(slots.take("192.0.2.2") != nil)
        withExtendedLifetime(held) {}
    }

    @Test("a slot that is let go is free again")
    func givesBack() {
        let slots = StreamSlots()
        var held = (0..<10).compactMap { _ in slots.take("a") }
        #expect(slots.take("a") == nil)
        held.removeLast()
        let again = slots.take("a")
        #expect(again != nil)
        #expect(slots.take("a") == nil)
        withExtendedLifetime((held, again)) {}
    }

    @Test("a gateway has a thousand in all")
    func total() {
        let slots = StreamSlots()
        let held = (0..<1000).compactMap { slots.take("address \($0)") }
        #expect(held.count == 1000)
        #expect(slots.take("one more") == nil)
        withExtendedLifetime(held) {}
    }

    @Test("of many who ask at once from one address ten get one")
    func race() async {
        let slots = StreamSlots()
        let held = await withTaskGroup(of: StreamSlots.Slot?.self) { group in
            for _ in 0..<200 { group.addTask { slots.take("a") } }
            return await group.reduce(into: [StreamSlots.Slot]()) { held, slot in if let slot { held.append(slot) } }
        }
        #expect(held.count == 10)
    }
}
