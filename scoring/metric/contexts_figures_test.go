package metric_test

import (
	"encoding/json"
	"testing"
)

// statementVerdict returns the verdict on a statement about one passage, and the figure expected.
func statementVerdict(t *testing.T, passage, statement string) (verdict, expected string) {
	t.Helper()
	s := contextScores(t, statement, []map[string]string{{"id": "d1", "text": passage}})["context_faithfulness"]
	raw, err := json.Marshal(s.Detail)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Statements []struct{ Verdict, Expected string }
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Statements) != 1 {
		t.Fatalf("%s: %d statements: %s %s", statement, len(d.Statements), s.Status, s.Reason)
	}
	return d.Statements[0].Verdict, d.Statements[0].Expected
}

const (
	yes  = "supported"
	no   = "contradicted"
	open = "undecided"
)

type said struct{ passage, statement, want string }

func checkVerdicts(t *testing.T, list []said) {
	t.Helper()
	count := map[string]int{}
	for _, x := range list {
		got, _ := statementVerdict(t, x.passage, x.statement)
		count[x.want+" "+got]++
		if got != x.want {
			t.Errorf("%q\n  of %q: %s, want %s", x.statement, x.passage, got, x.want)
		}
	}
	t.Log(count)
}

// A figure with a word such as thousand has one value, and a comma one sense.
func TestContextScales(t *testing.T) {
	t.Parallel()
	const (
		en = "The mill sold 3,400 thousand units in the year."
		de = "Die Mühle hat im Jahr 3,400 Tausend Stück verkauft."
		fr = "Le moulin a vendu 3,25 millions de pièces en 2021."
		pt = "O moinho vendeu 1.250 mil peças no ano."
	)
	checkVerdicts(t, []said{
		{en, "The mill sold 3.4 million units in the year [d1].", yes},
		{en, "The mill sold 3,400,000 units in the year [d1].", yes},
		{en, "The mill sold 3400 thousand units in the year [d1].", yes},
		{en, "The mill sold 3400 units in the year [d1].", no},
		{en, "The mill sold 3,400 units in the year [d1].", no},
		{en, "The mill sold 3,400 million units in the year [d1].", no},
		{en, "The mill sold 3.4 thousand units in the year [d1].", no},
		{de, "Die Mühle hat im Jahr 3.400 Stück verkauft [d1].", yes},
		{de, "Die Mühle hat im Jahr 3,4 Millionen Stück verkauft [d1].", no},
		{"Die Mühle hat im Jahr 3.400 Tausend Stück verkauft.", "Die Mühle hat im Jahr 3,4 Millionen Stück verkauft [d1].", yes},
		{"Die Mühle hat im Jahr 3.400 Tausend Stück verkauft.", "Die Mühle hat im Jahr 3.400 Stück verkauft [d1].", no},
		{fr, "Le moulin a vendu 3 250 000 pièces en 2021 [d1].", yes},
		{fr, "Le moulin a vendu 325 millions de pièces en 2021 [d1].", no},
		{pt, "O moinho vendeu 1,25 milhões de peças no ano [d1].", yes},
		{pt, "O moinho vendeu 1.250 peças no ano [d1].", no},
		{"その工場は1,200千個を売った。", "その工場は120万個を売った[d1]。", yes},
		{"その工場は1,200千個を売った。", "その工場は1,200個を売った[d1]。", no},
		{"Output: 1,200 thousand tonnes.", "Output: 1200 thousand tonnes [d1].", yes},
		{"The fund has $20m in cash.", "The fund has $20 million in cash [d1].", yes},
		{"The fund has $20m in cash.", "The fund has $20 in cash [d1].", no},
		{"The mast is 20 m tall and the fence is low.", "The mast is 20 million tall and the fence is low [d1].", open},
		{"The hall has 1.5 % of the space and 4,200 seats.", "The hall has 4.2 seats and 1.5 % of the space [d1].", no},
	})
}

// A figure that is right does not decide a statement with an amount in words that the passage does not have.
func TestContextAmountsInWords(t *testing.T) {
	t.Parallel()
	const (
		en = "The harbour opened in 1974 and has 12 cranes and a chapel."
		de = "Der Hafen wurde 1974 eröffnet und hat 12 Kräne und eine Kapelle."
		fr = "Le port a ouvert en 1974 et possède 12 grues et une chapelle."
		es = "El puerto abrió en 1974 y tiene 12 grúas y una capilla."
	)
	checkVerdicts(t, []said{
		{en, "The harbour opened in 1974 and has twelve cranes [d1].", yes},
		{en, "The harbour opened in 1974 and has a chapel [d1].", yes},
		{en, "The harbour opened in 1974 and has nine cranes [d1].", open},
		{en, "The harbour opened in 1974 and has three hundred cranes [d1].", open},
		{en, "The harbour opened in 1974 and has dozens of cranes [d1].", open},
		{en, "The harbour opened in 1974 and halved its cranes [d1].", open},
		{de, "Der Hafen wurde 1974 eröffnet und hat zwölf Kräne [d1].", yes},
		{de, "Der Hafen wurde 1974 eröffnet und hat dreihundert Kräne [d1].", open},
		{de, "Der Hafen wurde 1974 eröffnet und verdoppelte die Kräne [d1].", open},
		{fr, "Le port a ouvert en 1974 et possède douze grues [d1].", yes},
		{fr, "Le port a ouvert en 1974 et possède cinquante grues [d1].", open},
		{fr, "Le port a ouvert en 1974 et possède une centaine de grues [d1].", open},
		{es, "El puerto abrió en 1974 y tiene doce grúas [d1].", yes},
		{es, "El puerto abrió en 1974 y tiene quinientas grúas [d1].", open},
		{"Порт был открыт в 1974 году и имеет 12 кранов.", "Порт был открыт в 1974 году и имеет двадцать кранов [d1].", open},
		{"この港は1974年に開港し、礼拝堂がある。", "この港は1974年に開港し、五百の礼拝堂がある[d1]。", open},
		{"Costs fell by 8% in 2020.", "Costs fell by a third in 2020 [d1].", open},
		{"Costs in 2020 were 8 million dollars.", "Costs in 2020 were tripled [d1].", open},
	})
}

// The sign and the unit of a figure belong to it, whether they are written as signs or words.
func TestContextUnits(t *testing.T) {
	t.Parallel()
	checkVerdicts(t, []said{
		{"The night was at -8 °C in the valley.", "The night was at -8 °C in the valley [d1].", yes},
		{"The night was at -8 °C in the valley.", "The night was at 8 °C in the valley [d1].", no},
		{"The night was at −8 °C in the valley.", "The night was at minus 8 °C in the valley [d1].", yes},
		{"Die Nacht hatte -8 °C im Tal.", "Die Nacht hatte 8 °C im Tal [d1].", no},
		{"The change of revenue was -12% in the year.", "The revenue fell by 12% in the year [d1].", yes},
		{"Revenue fell by 12% in the year.", "The change of revenue was -12% in the year [d1].", yes},
		{"Profit of the group was (4.1) million dollars.", "Profit of the group was 4.1 million dollars [d1].", open},
		{"Staff of the group (418) is large.", "Staff of the group is large: 418 [d1].", yes},
		{"The bridge cost 30 million euros to build.", "The bridge cost €30 million to build [d1].", yes},
		{"The bridge cost 30 million euros to build.", "The bridge cost $30 million to build [d1].", no},
		{"The bridge cost 30 million euros to build.", "The bridge cost 30 million dollars to build [d1].", no},
		{"Die Brücke kostete 30 Millionen Euro.", "Die Brücke kostete 30 Millionen Dollar [d1].", no},
		{"Le pont a coûté 30 millions d'euros.", "Le pont a coûté 30 millions de dollars [d1].", no},
		{"El puente costó 30 millones de euros.", "El puente costó 30 millones de dólares [d1].", no},
		{"El puente costó 30 millones de dólares.", "El puente costó 30 millones de dólares [d1].", yes},
		{"この橋の費用は30億円だった。", "この橋の費用は30億ドルだった[d1]。", no},
		{"Мост стоил 30 млн рублей в ценах года.", "Мост стоил 30 млн долларов в ценах года [d1].", no},
		{"The bridge cost 30 million Canadian dollars.", "The bridge cost $30 million in Canadian dollars [d1].", yes},
		{"The bridge is 5 km long.", "The bridge is 5000 metres long [d1].", yes},
		{"The bridge is 5 km long.", "The bridge is 5 miles long [d1].", no},
		{"The loan rate was 3.5 % in May.", "The loan rate was 3.5 percentage points in May [d1].", open},
		{"Der Zins lag im Mai bei 3,5 %.", "Der Zins lag im Mai bei 3,5 Prozentpunkten [d1].", open},
		{"The rate was raised by 0.5 percentage points.", "The rate was raised by 50 basis points [d1].", yes},
		{"The rate was raised by 0.5 percentage points.", "The rate was raised by 25 basis points [d1].", no},
		{"The share was 0.12 of the revenue.", "The share was 12% of the revenue [d1].", open},
		{"The mast is 330 metres tall.", "The mast is 330 m tall [d1].", yes},
		{"The limit is 50 km/h in towns.", "The limit is 50 kilometres per hour in towns [d1].", yes},
		{"The limit is 50 km/h in towns.", "The limit is 50 miles per hour in towns [d1].", no},
		{"The gate is open from 10-20 on weekdays.", "The gate is open from 10 to 20 on weekdays [d1].", yes},
	})
}

// Rose is not fell, in any language; a word that may be a fall in one that badger does not know leaves it open.
func TestContextChanges(t *testing.T) {
	t.Parallel()
	checkVerdicts(t, []said{
		{"The output rose by 6 % in 2022.", "The output increased by 6 % in 2022 [d1].", yes},
		{"The output rose by 6 % in 2022.", "The output was up 6 % in 2022 [d1].", yes},
		{"The output rose by 6 % in 2022.", "The output was down 6 % in 2022 [d1].", no},
		{"The output rose by 6 % in 2022.", "The output tanked by 6 % in 2022 [d1].", open},
		{"The output rose by 6 % while the costs fell by 3 % in 2022.", "The costs declined by 3 % in 2022 [d1].", yes},
		{"The growth of the output rose to 6 % in 2022.", "The growth of the output fell to 6 % in 2022 [d1].", no},
		{"Der Absatz ist 2022 um 6 % gestiegen.", "Der Absatz nahm 2022 um 6 % zu [d1].", yes},
		{"Der Absatz ist 2022 um 6 % gestiegen.", "Der Absatz nahm 2022 um 6 % ab [d1].", no},
		{"Der Absatz ist 2022 um 6 % gestiegen.", "Der Absatz ist 2022 um 6 % zurückgegangen [d1].", no},
		{"Der Absatz ist 2022 um 6 % gestiegen.", "Der Absatz ist 2022 nicht um 6 % gestiegen [d1].", open},
		{"Les recettes ont baissé de 6 % en 2022.", "Les recettes ont diminué de 6 % en 2022 [d1].", yes},
		{"Les recettes ont baissé de 6 % en 2022.", "Les recettes ont progressé de 6 % en 2022 [d1].", no},
		{"Los ingresos cayeron un 6 % en 2022.", "Los ingresos disminuyeron un 6 % en 2022 [d1].", yes},
		{"Los ingresos cayeron un 6 % en 2022.", "Los ingresos crecieron un 6 % en 2022 [d1].", no},
		{"As receitas caíram 6 % em 2022.", "As receitas subiram 6 % em 2022 [d1].", no},
		{"I ricavi sono cresciuti del 6 % nel 2022.", "I ricavi sono calati del 6 % nel 2022 [d1].", no},
		{"De omzet steeg met 6 % in 2022.", "De omzet daalde met 6 % in 2022 [d1].", no},
		{"Przychody wzrosły o 6 % w 2022 roku.", "Przychody spadły o 6 % w 2022 roku [d1].", no},
		{"Intäkterna ökade med 6 % under 2022.", "Intäkterna minskade med 6 % under 2022 [d1].", no},
		{"Gelirler 2022 yılında yüzde 6 arttı.", "Gelirler 2022 yılında yüzde 6 azaldı [d1].", no},
		{"Доходы в 2022 году выросли на 6 %.", "Доходы в 2022 году снизились на 6 % [d1].", no},
		{"Доходы в 2022 году выросли на 6 %.", "Доходы в 2022 году увеличились на 6 % [d1].", yes},
		{"ارتفعت الإيرادات بنسبة 6% في عام 2022.", "انخفضت الإيرادات بنسبة 6% في عام 2022 [d1].", no},
		{"2022 में राजस्व 6% बढ़ा।", "2022 में राजस्व 6% घटा [d1]।", no},
		{"2022年收入增长了6%。", "2022年收入下降了6%[d1]。", no},
		{"売上は6%増加した。", "売上は6%減少した[d1]。", no},
		{"매출이 2022년에 6% 증가했다.", "매출이 2022년에 6% 감소했다 [d1].", no},
		{"Tržby vzrostly v roce 2022 o 6 %.", "Tržby klesly v roce 2022 o 6 % [d1].", open}, // Czech is not known
		{"Tržby vzrostly v roce 2022 o 6 %.", "Tržby vzrostly v roce 2022 o 6 % [d1].", yes},
		{"Liikevaihto kasvoi 6 % vuonna 2022.", "Liikevaihto laski 6 % vuonna 2022 [d1].", open}, // nor Finnish
	})
}

// Dates, times of day and powers of ten are the same in all their forms.
func TestContextTimes(t *testing.T) {
	t.Parallel()
	checkVerdicts(t, []said{
		{"The contract ends on 5 July 2031.", "The contract ends on 2031-07-05 [d1].", yes},
		{"The contract ends on 5 July 2031.", "The contract ends on July 5th, 2031 [d1].", yes},
		{"The contract ends on 5 July 2031.", "The contract ends in July 2031 [d1].", yes},
		{"The contract ends on 5 July 2031.", "The contract ends in 2031 [d1].", yes},
		{"The contract ends on 5 July 2031.", "The contract ends on 6 July 2031 [d1].", no},
		{"The contract ends on 5 July 2031.", "The contract ends on 2031-08-05 [d1].", no},
		{"The contract ends on 5 July 2031.", "The contract ends on 05/07/2031 [d1].", open}, // May in America
		{"The contract ends on 5 July 2031.", "The contract ends on 08/09/2031 [d1].", no},
		{"The contract ends in July 2031.", "The contract ends on 5 July 2031 [d1].", open},
		{"Der Vertrag endet am 5. Juli 2031.", "Der Vertrag endet am 05.07.2031 [d1].", yes},
		{"Der Vertrag endet am 5. Juli 2031.", "Der Vertrag endet am 07.05.2031 [d1].", no},
		{"Le contrat se termine le 5 juillet 2031.", "Le contrat se termine le 2031-07-05 [d1].", yes},
		{"El contrato termina el 5 de julio de 2031.", "El contrato termina el 2031-07-05 [d1].", yes},
		{"契約は2031年7月5日に終わる。", "契約は2031-07-05に終わる[d1]。", yes},
		{"契約は2031年7月5日に終わる。", "契約は2031年7月6日に終わる[d1]。", no},
		{"Договор заканчивается 5 июля 2031 года.", "Договор заканчивается 2031-07-05 [d1].", yes},
		{"The shop is open from 8:30 to 19:00.", "The shop is open from 8:30 am to 7 pm [d1].", yes},
		{"The shop is open from 8:30 to 19:00.", "The shop is open from 8:30 am to 8 pm [d1].", no},
		{"Der Laden ist bis 19 Uhr offen.", "Der Laden ist bis 19:00 offen [d1].", yes},
		{"Le magasin est ouvert jusqu'à 19h30.", "Le magasin est ouvert jusqu'à 19:30 [d1].", yes},
		{"The plant holds 730 barrels.", "The plant holds 7.3e2 barrels [d1].", yes},
		{"The plant holds 730 barrels.", "The plant holds 7.3 × 10^2 barrels [d1].", yes},
		{"The plant holds 730 barrels.", "The plant holds 7.3 × 10³ barrels [d1].", no},
		{"The plant holds more than 700 barrels.", "The plant holds more than 700 barrels [d1].", yes},
		{"The plant holds more than 700 barrels.", "The plant holds 700 barrels [d1].", open},
		{"The plant holds more than 700 barrels.", "The plant holds 600 barrels [d1].", no},
	})
}

// The figure expected is of the kind of the wrong one, or none is named.
func TestContextExpected(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ passage, statement, want string }{
		{"In 1998 the depot opened with 418 people and 12 trams.", "The depot opened in 1989 [d1].", "1998"},
		{"In 1998 the depot opened with 418 people and 12 trams.", "The depot opened with 481 people [d1].", "418"},
		{"In 1998 the depot opened with 418 people and 12 trams.", "The depot opened with 21 trams [d1].", "12"},
		{"The depot employs 418 people.", "The depot employs fewer than 418 people [d1].", ""},
		{"The depot cost 45 thousand dollars.", "The depot cost 45 dollars [d1].", "45 thousand"},
		{"The depot grew by 12% in 2023.", "The depot grew by 13% in 2023 [d1].", "12%"},
	} {
		if got, expected := statementVerdict(t, x.passage, x.statement); got != no || expected != x.want {
			t.Errorf("%s: %s, expected %q, want %q", x.statement, got, expected, x.want)
		}
	}
}

// A citation of an id reaches all passages that have it; that of a number, the one with it.
func TestSharedID(t *testing.T) {
	t.Parallel()
	contexts := []map[string]string{{"id": "d1", "text": "The depot employs 418 people."}, {"id": "d1", "text": "The fleet has 64 trucks."}, {"id": "d2", "text": "The port has 9 cranes."}}
	for _, x := range []struct {
		response          string
		recall, precision float64
	}{
		{"The fleet has 64 trucks [d1].", 1, 1},
		{"The depot employs 418 people [d1].", 1, 1},
		{"The fleet has 64 trucks [2].", 1, 1},
		{"The fleet has 64 trucks [1].", 0, 0},
		{"The fleet has 64 trucks [d1][d2].", 1, 0.5},
		{"The port has 9 cranes [d1].", 0, 0},
	} {
		s := contextScores(t, x.response, contexts)
		if r, p := s["citation_recall"], s["citation_precision"]; r.Value != x.recall || p.Value != x.precision {
			t.Errorf("%s: recall %v %s, precision %v, want %v, %v", x.response, r.Value, r.Reason, p.Value, x.recall, x.precision)
		}
	}
}
