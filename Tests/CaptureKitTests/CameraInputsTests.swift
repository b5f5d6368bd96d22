import CaptureKit
import Testing

@Suite("The inputs of a camera", .timeLimit(.minutes(1)))
struct CameraInputsTests {
    private struct Broken: Error {}

    private let inputs = CameraInputs<Int, Int>()
    private let depth: DepthPlane

    init() throws { depth = try DepthPlane(bytes: [UInt8](repeating: 0, count: 64), width: 4, height: 4) }

    @Test("are none from before they are read, however late that is, and begin with a picture that has depth")
    func late() async throws {
        for number in 1...10 { inputs.give(number, at: Double(number) / 30) { depth } }
        for number in 1...400 { give(sound: number) }
        let first = await reading()
        give(sound: 401)
        inputs.give(11, at: 100) { depth }
        give(sound: 402)
        inputs.give(12, at: 100 + 1.0 / 30) { depth }
        #expect(try await first.value == "picture 11 at 0 with depth")
        #expect(try await Self.next(of: inputs) == "sound 402")
        #expect(try await Self.next(of: inputs) == "picture 12 at 20")
    }

    @Test("leave out pictures while three wait, and end before a gap in the sound")
    func full() async throws {
        let first = await reading()
        for number in 1...6 { inputs.give(number, at: Double(number) / 30) { depth } }
        for number in 1...302 { give(sound: number) }
        #expect(try await first.value == "picture 1 at 0 with depth")
        let waiting = ["picture 2 at 20", "picture 3 at 40", "picture 4 at 60 with depth"] + (1...300).map { "sound \($0)" }
        for input in waiting + ["interruption"] { #expect(try await Self.next(of: inputs) == input) }
    }

    @Test("have sound that goes on in time, if not to the millisecond")
    func adjoining() async throws {
        let first = await reading()
        inputs.give(1, at: 100) { depth }
        for (number, late) in [0, 0.01, -0.01, 0.03].enumerated() { give(sound: number, late: late) }
        #expect(try await first.value == "picture 1 at 0 with depth")
        for number in 0..<4 { #expect(try await Self.next(of: inputs) == "sound \(number)") }
        inputs.end(.success(nil))
        #expect(try await Self.next(of: inputs) == "end")
    }

    @Test(
        "end before sound that would lie at the wrong time",
        arguments: [(2, 48_000), (0.06, 48_000), (-0.06, 48_000), (0, 16_000)] as [(Double, Double)])
    func displaced(late: Double, sampleRate: Double) async throws {
        let first = await reading()
        inputs.give(1, at: 100) { depth }
        for number in 1...2 { give(sound: number) }
        give(sound: 3, late: late, sampleRate: sampleRate)
        give(sound: 4, late: late, sampleRate: sampleRate)
        #expect(try await first.value == "picture 1 at 0 with depth")
        for input in ["sound 1", "sound 2", "interruption"] { #expect(try await Self.next(of: inputs) == input) }
    }

    @Test("end as they ended first, after what waits")
    func ended() async throws {
        let first = await reading()
        for number in 1...2 { inputs.give(number, at: Double(number)) { depth } }
        inputs.end(.failure(Broken()))
        inputs.end(.success(nil))
        inputs.give(3, at: 3) { depth }
        #expect(try await first.value == "picture 1 at 0 with depth")
        #expect(try await Self.next(of: inputs) == "picture 2 at 600")
        await #expect(throws: Broken.self) { try await Self.next(of: inputs) }
    }

    @Test("end although nobody has read them yet")
    func endedBefore() async throws {
        inputs.give(1, at: 1) { depth }
        inputs.end(.success(nil))
        #expect(try await Self.next(of: inputs) == "end")
    }

    @Test("begin although they were interrupted before anybody read, once that is over")
    func interruptedBefore() async throws {
        inputs.end(.success(.interruption))
        inputs.resume()
        let first = await reading()
        inputs.give(1, at: 1) { depth }
        #expect(try await first.value == "picture 1 at 0 with depth")
        inputs.end(.success(.interruption))
        inputs.resume()
        inputs.give(2, at: 2) { depth }
        #expect(try await Self.next(of: inputs) == "interruption", "what was read is ended")
    }

    @Test("stay ended by their person or a failure when an interruption is over")
    func endedForGood() async throws {
        inputs.end(.success(.interruption))
        inputs.end(.success(nil))
        inputs.resume()
        #expect(try await Self.next(of: inputs) == "end")
        let failed = CameraInputs<Int, Int>()
        failed.end(.failure(Broken()))
        failed.end(.success(.interruption))
        failed.resume()
        await #expect(throws: Broken.self) { try await Self.next(of: failed) }
    }

    @Test("end when the task that waits for them is cancelled, as if their person had ended them")
    func cancelled() async throws {
        let first = await reading()
        first.cancel()
        #expect(try await first.value == "end")
        inputs.give(1, at: 1) { depth }
        #expect(try await Self.next(of: inputs) == "end")
    }

    /// Gives a piece of 20 ms.
    /// - Parameter late: seconds after the end of the piece with the number before it, were that one in time.
    private func give(sound number: Int, late: Double = 0, sampleRate: Double = 48_000) {
        inputs.give(sound: number, at: Double(number) * 0.02 + late, sampleCount: Int(sampleRate / 50), sampleRate: sampleRate)
    }

    /// Begins to read. A picture without depth, which is left out, shows when that has begun.
    private func reading() async -> Task<String, any Error> {
        let reading = Task { [inputs] in try await Self.next(of: inputs) }
        var isRead = false
        while !isRead {
            await Task.yield()
            inputs.give(0, at: 0) {
                isRead = true
                return nil
            }
        }
        return reading
    }

    /// The next input, in words.
    private static func next(of inputs: CameraInputs<Int, Int>) async throws -> String {
        switch try await inputs.next() {
        case .picture(let number, let time, let depth)?: "picture \(number) at \(time)\(depth == nil ? "" : " with depth")"
        case .sound(let number)?: "sound \(number)"
        case .interruption?: "interruption"
        case nil: "end"
        }
    }
}
