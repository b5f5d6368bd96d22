import Testing

@testable import Gateway

@Suite("Waiters")
struct WaitersTests {
    @Test("everyone who waits for a key is woken by it")
    func wakesAll() async {
        let waiters = Waiters(timeout: .seconds(60))
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await waiters.wait(for: "a") } }
            group.addTask {
                // A waiter that starts after a wake-up misses it, so wake-ups are repeated until all waiters have finished.
                while !Task.isCancelled {
                    waiters.wake("a")
                    try? await Task.sleep(for: .milliseconds(5))
                }
            }
            for _ in 0..<20 { await group.next() }
            group.cancelAll()
        }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("another key wakes nobody; after a second everyone looks again")
    func otherKey() async {
        let waiters = Waiters()
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await waiters.wait(for: "a") }
            group.addTask {
                while !Task.isCancelled {
                    waiters.wake("b")
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
            await group.next()
            group.cancelAll()
        }
        let waited = ContinuousClock.now - start
        #expect(waited >= .milliseconds(950))
        #expect(waited < .seconds(10))
    }

    @Test("a cancelled task does not wait")
    func cancelled() async {
        let waiters = Waiters(timeout: .seconds(60))
        let start = ContinuousClock.now
        let task = Task { await waiters.wait(for: "a") }
        task.cancel()
        await task.value
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("waking a key that nobody waits for does not end a later wait")
    func nobody() async {
        let waiters = Waiters(timeout: .milliseconds(200))
        waiters.wake("a")
        let start = ContinuousClock.now
        await waiters.wait(for: "a")
        #expect(ContinuousClock.now - start >= .milliseconds(190))
    }
}

@Suite("Wait list")
struct WaitListTests {
    @Test("a key wakes those who wait for it, once, and nobody else")
    func removeAll() {
        var list = WaitList<String>()
        for (name, key) in [("one", "a"), ("two", "a"), ("three", "b")] { list.add(name, list.id(), for: key) }
        #expect(list.removeAll(for: "a").sorted() == ["one", "two"] && list.count == 1)
        #expect(list.removeAll(for: "a").isEmpty && list.removeAll(for: "c").isEmpty)
        #expect(list.removeAll(for: "b") == ["three"] && list.count == 0)
    }

    @Test("one waiter leaves alone, and only if it is there")
    func remove() {
        var list = WaitList<String>()
        let (first, second, absent) = (list.id(), list.id(), list.id())
        list.add("one", first, for: "a")
        list.add("two", second, for: "a")
        #expect(list.remove(absent, for: "a") == nil && list.remove(first, for: "b") == nil)
        #expect(list.remove(first, for: "a") == "one" && list.remove(first, for: "a") == nil)
        #expect(list.removeAll(for: "a") == ["two"] && list.count == 0)
    }
}
