import Testing

@testable import Gateway

@Suite("Weighted lists of what a client takes")
struct WeightedListTests {
    @Test("keep values in lower case and in order, with their weights; 1 is the weight of what has none")
    func items() {
        let list = WeightedList(["Text/HTML;level=1;q=0.5, */* ; Q=0.1", "gzip"])
        #expect(list.items.map(\.value) == ["text/html", "*/*", "gzip"])
        #expect(list.items.map(\.weight) == [0.5, 0.1, 1])
        #expect(list.weight(of: "gzip") == 1 && list.weight(of: "br") == nil)
        #expect(list.weight(of: "br", "*/*", "text/html") == 0.5)
    }

    @Test("leave out what has no sound weight", arguments: ["a;q=", "a;q=x", "a;q=2", "a;q=-1", "a;q=nan", "a;q=inf", "", ",,", " ; ;"])
    func unsound(field: String) { #expect(WeightedList([field]).weight(of: "a") == nil) }

    @Test("are read up to a limit")
    func limits() {
        #expect(WeightedList([String(repeating: "a,", count: 1_000_000) + "b"]).items.count == 50)
        #expect(WeightedList([String(repeating: "x", count: 1_000_000) + ",b"]).weight(of: "b") == nil)
        #expect(WeightedList(Array(repeating: "a;q=0.1", count: 10_000)).items.count == 50)
    }
}
