import HTTPServing
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycleTestKit
import Testing

@Suite("The end of a server", .timeLimit(.minutes(2)))
struct EndingTests {
    @Test("a server that is cancelled while connections come does not take the process with it")
    func cancelled() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<100 { await Churn.run { group, _ in group.cancelAll() } }
        }
    }

    @Test("a server that ends gracefully while connections come does not take the process with it, and ends")
    func graceful() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<100 {
                await testGracefulShutdown { trigger in
                    await Churn.run { group, server in
                        trigger.triggerGracefulShutdown()
                        await server.first { _ in true }
                        group.cancelAll()
                    }
                }
            }
        }
    }
}

/// Clients that connect without a pause to a server that ends meanwhile.
private enum Churn {
    /// - Parameter end: ends the server. Its second argument has an element once it has ended.
    static func run(ending end: (inout TaskGroup<Void>, AsyncStream<Void>) async -> Void) async {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let (endings, ending) = AsyncStream.makeStream(of: Void.self)
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok) }, server: .serving(),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "churn") { _ in SwiftLogNoOpLogHandler() })
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await application.run()
                ending.yield()
            }
            var iterator = ports.makeAsyncIterator()
            let number = await iterator.next() ?? 0
            for _ in 0..<8 {
                group.addTask {
                    let clients = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    while !Task.isCancelled, let channel = try? await clients.connect(host: "127.0.0.1", port: number).get() {
                        try? await channel.close()
                    }
                }
            }
            for _ in 0..<20 { await Task.yield() }
            await end(&group, endings)
        }
    }
}
