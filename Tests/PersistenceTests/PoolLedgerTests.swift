import Testing

@testable import Persistence

@Suite("The pool's ledger")
struct PoolLedgerTests {
    private typealias Ledger = PoolLedger<String, Character>
    private var ledger = Ledger(size: 2)

    private mutating func queue(_ waiters: String) -> [UInt64] {
        waiters.map { waiter in
            let id = ledger.makeID()
            ledger.wait(id, waiter)
            return id
        }
    }

    @Test("as many may open a connection as it has room for, then callers wait")
    mutating func bounds() {
        #expect([ledger.take(), ledger.take(), ledger.take()] == [.opening, .opening, nil])
        #expect(ledger.leased == 2 && ledger.idle.isEmpty)
    }

    @Test("there is room for one at least, whatever is asked for", arguments: [0, -1])
    func least(size: Int) {
        var ledger = Ledger(size: size)
        #expect(ledger.take() == .opening && ledger.take() == nil)
    }

    @Test("a connection given back is used again, the latest first, and no other is opened for it")
    mutating func reuse() {
        for connection in ["a", "b"] {
            #expect(ledger.take() == .opening)
            #expect(ledger.giveBack(connection) == nil)
            #expect(ledger.take() == .connection(connection))
        }
        #expect(ledger.take() == nil && ledger.leased == 2)
        _ = (ledger.giveBack("a"), ledger.giveBack("b"))
        #expect(ledger.take() == .connection("b") && ledger.take() == .connection("a"))
    }

    @Test("what becomes free goes to who waits longest, and stays leased")
    mutating func order() {
        _ = (ledger.take(), ledger.take())
        _ = queue("xyz")
        let first = ledger.giveBack("a")
        #expect(first?.0 == "x" && first?.1 == .connection("a"))
        // A closed connection makes room for a new one.
        let second = ledger.giveBack(nil)
        #expect(second?.0 == "y" && second?.1 == .opening)
        #expect(ledger.leased == 2 && ledger.idle.isEmpty && ledger.waiting == 1)
    }

    @Test("a connection that is not given back makes room for another")
    mutating func lost() {
        _ = (ledger.take(), ledger.take())
        #expect(ledger.giveBack(nil) == nil && ledger.leased == 1)
        #expect(ledger.take() == .opening && ledger.take() == nil)
    }

    @Test("who stops waiting is resumed once and is passed over, and the others keep their order")
    mutating func leaving() {
        _ = (ledger.take(), ledger.take())
        let ids = queue("xyz")
        #expect(ledger.removeWaiter(ids[1]) == "y")
        #expect(ledger.removeWaiter(ids[1]) == nil)
        #expect(ledger.giveBack("a")?.0 == "x" && ledger.giveBack("b")?.0 == "z")
        // A timeout may fire after the connection was acquired.
        #expect(ledger.removeWaiter(ids[0]) == nil)
        #expect(ledger.giveBack("a") == nil && ledger.idle == ["a"])
    }

    @Test("closing names all who wait and what is idle, once")
    mutating func closing() {
        _ = (ledger.take(), ledger.take())
        _ = queue("xy")
        #expect(!ledger.isClosed && ledger.close() == ["x", "y"] && ledger.isClosed && ledger.waiting == 0)
        #expect(ledger.close().isEmpty)
        #expect(ledger.giveBack("a") == nil)
        #expect(ledger.takeIdle() == ["a"] && ledger.takeIdle().isEmpty && ledger.leased == 1)
    }
}
