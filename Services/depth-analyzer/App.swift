import Models
import ServiceRuntime

@main
enum App {
    static func main() async throws {
        try await ServiceMain.run(.depthAnalyzer, makeServiceGroup)
    }
}
